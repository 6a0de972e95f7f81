"""Pages in a PostgreSQL that many machines share. Imported only where `docs.store_url` names one: needs `psycopg`."""
