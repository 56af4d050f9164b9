enum PlaceholderNormalizationTests {}
