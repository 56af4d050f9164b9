enum PlaceholderSessionsTests {}
