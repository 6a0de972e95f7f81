"""What a project is: its root, its Python environment and why that one, its Python version.

Used by every capability. Reads files only; nothing of a project is executed here.
"""

from sightline.projects.finder import ProjectFinder
from sightline.projects.interpreters import Interpreter
from sightline.projects.project import Project, find_project
from sightline.surroundings import Surroundings

__all__ = ["Interpreter", "Project", "ProjectFinder", "Surroundings", "find_project"]
