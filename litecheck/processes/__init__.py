"""Child processes: start them isolated, limit their time and memory, end them with all their descendants."""
