enum PlaceholderPAMBoxAgent {}
