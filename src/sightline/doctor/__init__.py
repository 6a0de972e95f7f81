"""What works here, what does not, and what to do about it; and what a new project needs. Never uses the network.

A check is one function in `checks/` and one line in `examining.py`.
"""

from sightline.doctor.examining import CHECKS, Report, examine
from sightline.doctor.finding import Check, Finding, Fix
from sightline.doctor.subject import Subject

__all__ = ["CHECKS", "Check", "Finding", "Fix", "Report", "Subject", "examine"]
