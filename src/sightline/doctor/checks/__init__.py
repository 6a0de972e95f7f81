"""One module for each thing that is looked at; each function returns findings and changes nothing."""
