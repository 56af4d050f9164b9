"""Marks a function as a scenario: `@scenario("A sentence about behaviour")`."""


def scenario(sentence, radios=("bluez",), limit=None):
    """`limit`: seconds, where the runner's own are too few."""
    def mark(function):
        function.scenario, function.radios = sentence, radios
        if limit:
            function.limit = limit
        return function
    return mark
