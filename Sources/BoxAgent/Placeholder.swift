enum PlaceholderBoxAgent {}
