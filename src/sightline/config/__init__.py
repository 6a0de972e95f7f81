"""Settings: what can be set, from where, and which source won.

Defaults < preset < user file < project file < environment < command line. A project file comes with a
repository and may only narrow, unless a person trusts it.
"""

from sightline.config.loading import LoadedSettings, Origin, load_settings
from sightline.config.schema import Settings

__all__ = ["LoadedSettings", "Origin", "Settings", "load_settings"]
