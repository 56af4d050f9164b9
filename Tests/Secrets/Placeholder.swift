enum PlaceholderSecretsTests {}
