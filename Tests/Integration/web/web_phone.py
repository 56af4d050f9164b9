"""The page in Chromium over the emulated BlueZ. Boxes and browser share one BlueZoo: hci0 is Chromium's, and hci1 the box's."""

from box import Box
from page_in_browser import PageInBrowser
from page_server import PageServer
from private_bus import BlueZoo, PrivateBus


class WebPhone(PageInBrowser):
    def __init__(self, directory, page, shared=False):
        self.page = page
        self.bus = PrivateBus(directory)
        self.zoo = BlueZoo(self.bus.address, directory / "zoo.log", shared=shared)
        self.boxes = []
        super().__init__(directory, PageServer(page), self.bus.address)

    def box(self, **settings):
        radio = {"radio.kind": '"bluez"', "radio.adapter": '"hci1"', "radio.bus": '"%s"' % self.bus.address}
        box = Box(self.directory / ("box%d" % len(self.boxes)), self.directory / "air", **{**radio, **settings})
        self.boxes.append(box)
        box.start().pam_service(users={"alice": b"correct horse"})
        box.wait_until(lambda: box.json("status")["radio_state"].startswith("advertising"))
        return box

    def programs(self):
        return [program for box in self.boxes for program in box.everything[-4:] + [box.agent]]

    def stop(self):
        if self.browser:
            self.browser.stop()
        for box in self.boxes:
            box.stop()
        self.server.stop()
        self.zoo.stop()
        self.bus.stop()
