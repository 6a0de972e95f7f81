"""Sightline's own entry in the configuration of agent clients: where it goes, what it says, whether it is there.

One client is one value in `catalogue.py`. Only the entry is ours; every other byte of a client's file is left alone.
"""

from sightline.clients.catalogue import CLIENTS, client_named
from sightline.clients.client import Client, Scope, Surroundings

__all__ = ["CLIENTS", "Client", "Scope", "Surroundings", "client_named"]
