"""Why an element differs, and where differences gather."""
