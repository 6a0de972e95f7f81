# Sightline as a container that serves one mounted project over MCP on stdio.
#
# Not built by the checks: they have no container runtime. Build and try it by hand:
#   docker build -t sightline .
#   docker run --rm -i -v "$PWD:/project" sightline
#
# It serves Python. Other languages need their servers in the image: add them below. A project's own environment is
# seen only if it is mounted and made for this Python; else imports of its packages are reported as unresolved.
FROM python:3.12-slim

LABEL io.modelcontextprotocol.server.name="invalid.unpublished/sightline"

WORKDIR /opt/sightline
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --constraint constraints.txt . \
    && useradd --create-home --uid 10001 sightline

ENV PATH="/opt/venv/bin:$PATH"
USER sightline
WORKDIR /project
ENTRYPOINT ["sightline"]
CMD ["serve", "--project", "/project"]
