"""What `get_library_docs` answers: from the installed package, a folder, or the web."""

from __future__ import annotations

from dataclasses import replace

from sightline.contract import Evidence, Outcome
from sightline.library_docs.answers.from_folder import from_folder
from sightline.library_docs.answers.from_package import from_package
from sightline.library_docs.answers.from_web import from_web
from sightline.library_docs.answers.library_answer import Asked, LibraryAnswer
from sightline.library_docs.answers.which_library import which_library
from sightline.library_docs.project_libraries import ProjectLibraries
from sightline.library_docs.service import DocsService
from sightline.library_docs.tools.get_library_docs import GetLibraryDocsInput, GetLibraryDocsOutput, OtherDocument
from sightline.tool import Call


async def docs_of(service: DocsService, call: Call, args: GetLibraryDocsInput) -> Outcome[GetLibraryDocsOutput]:
    libraries = await service.libraries(call, args.path)
    library, notices = await which_library(service, libraries, args.library_id)
    asked = Asked(library, args.topic, args.version)
    answer = await from_package(libraries, asked, call.progress)
    if answer is None:
        answer = await from_folder(service, asked)
    if answer is None:
        answer = await from_web(service, libraries, asked, call.progress)
    warnings = (*notices, *answer.notices, *(() if answer.trust == "installed" else service.store_notices()))
    return Outcome(output=_output(answer), evidence=_evidence(answer, libraries), warnings=warnings)


def _output(answer: LibraryAnswer) -> GetLibraryDocsOutput:
    return GetLibraryDocsOutput(
        summary=answer.summary,
        library_id=str(answer.library),
        version=answer.version,
        version_match=answer.version_match,
        installed_version=answer.installed_version,
        address=answer.address,
        title=answer.title,
        trust=answer.trust,
        line=answer.line,
        heading=answer.heading or None,
        name_found=answer.is_name_found,
        content=answer.content,
        next_offset=answer.next_offset,
        passages=list(answer.passages),
        documents=[OtherDocument(address=address, kind=kind) for address, kind in answer.documents],
    )


def _evidence(answer: LibraryAnswer, libraries: ProjectLibraries) -> Evidence:
    if answer.library.ecosystem == "npm":
        return answer.evidence
    return replace(answer.evidence, details={**answer.evidence.details, "environment": libraries.environment})
