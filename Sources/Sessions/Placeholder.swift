enum PlaceholderSessions {}
