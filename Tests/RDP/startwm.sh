#!/bin/sh
# The remote desktop of the test. It shows its user and display.
echo "$(id -un) $DISPLAY" >"$HOME/desktop.new"
mv "$HOME/desktop.new" "$HOME/desktop"
xsetroot -solid "#1d5c3a"
xterm -geometry 56x9+60+80 -fa "DejaVu Sans Mono" -fs 12 -T "Remote desktop" -e sh -c '
    echo "Logged in here: $(id -un), by one tap on a phone."
    echo
    echo "xrdp session on display $DISPLAY, started by"
    ps -o args= -p "$(pgrep -o xrdp-sesman)"
    exec cat' &
exec icewm
