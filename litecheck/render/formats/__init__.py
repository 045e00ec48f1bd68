"""The formats, each in a module of its own that registers it as ``FORMAT``; nothing else lists them."""
