"""Every report -> text: rows and documents made of it, the formats that write them, and all wording."""
