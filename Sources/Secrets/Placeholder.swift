enum PlaceholderSecrets {}
