"""Marks a function as a scenario: `@scenario("A sentence about behaviour")`."""


def scenario(sentence, radios=("bluez",), limit=None, boot=1):
    """Marks the function. `limit`: seconds, if the default is too short. `boot`: the boot that runs the scenario, from 1."""
    def mark(function):
        function.scenario, function.radios, function.boot = sentence, radios, boot
        if limit:
            function.limit = limit
        return function
    return mark
