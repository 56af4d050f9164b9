"""Marks a function as a scenario: `@scenario("A sentence about behaviour")`."""


def scenario(sentence, radios=("bluez",), limit=None, boot=1):
    """`limit`: seconds, where the runner's own are too few. `boot`: of a group that boots more than once."""
    def mark(function):
        function.scenario, function.radios, function.boot = sentence, radios, boot
        if limit:
            function.limit = limit
        return function
    return mark
