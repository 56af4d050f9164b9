"""The shipped nginx example with a real nginx: it serves the release, over HTTP on this machine and over HTTPS."""

import pathlib
import socket
import subprocess

import pytest
from page_server import HOST, PATIENCE, WEB

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The configuration around a server block that lets nginx run as an ordinary user in a private directory.
AROUND = """
daemon off; master_process off; pid {0}/pid; error_log stderr;
events {{ }}
http {{
    access_log off; client_body_temp_path {0}/body; proxy_temp_path {0}/proxy; fastcgi_temp_path {0}/fastcgi;
    uwsgi_temp_path {0}/uwsgi; scgi_temp_path {0}/scgi;
{1}
}}
"""


def example(page, port, certificate):
    """Returns the server block of the example with this test's paths. Without a certificate, it uses HTTP."""
    text = (HOST / "nginx.conf").read_text()
    changes = [("listen 443 ssl;", "listen 127.0.0.1:%d%s;" % (port, " ssl" if certificate else "")),
               ("root /usr/share/boxagent-web;", "root %s;" % page), ("include mime.types;", "include /etc/nginx/mime.types;"),
               ("ssl_certificate /etc/ssl/certs/phone.example.org.pem;", "ssl_certificate %s;" % certificate if certificate else ""),
               ("ssl_certificate_key /etc/ssl/private/phone.example.org.key;",
                "ssl_certificate_key %s;" % certificate.with_suffix(".key") if certificate else "")]
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


@pytest.fixture
def nginx(directory, page):
    """Starts nginx. Returns its address when it listens."""
    running = []

    def start(certificate=None, change=lambda text: text):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        configuration = directory / "nginx.conf"
        configuration.write_text(AROUND.format(directory, change(example(page, port, certificate))))
        process = subprocess.Popen(["/usr/sbin/nginx", "-c", configuration, "-p", directory, "-e", "stderr"], stderr=subprocess.PIPE, text=True)
        running.append(process)
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
                return "%s://localhost:%d/" % ("https" if certificate else "http", port)
            except ConnectionRefusedError:
                pass
        raise AssertionError(process.stderr.read())

    yield start
    for process in running:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def verify(page, url, **environment):
    return subprocess.run([WEB, "verify", "--folder", page, url], capture_output=True, text=True, timeout=PATIENCE, env=environment)


def test_the_example_serves_the_release(nginx, page):
    done = verify(page, nginx())
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("files and their headers are the same\n")


def test_the_example_serves_the_release_by_https(nginx, page, directory):
    certificate = directory / "host.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", certificate, "-keyout",
                    certificate.with_suffix(".key")], check=True, capture_output=True)
    done = verify(page, nginx(certificate), SSL_CERT_FILE=str(certificate))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("line, instead, found", [
    ("    add_header Referrer-Policy no-referrer always;\n", "", "index.html: Referrer-Policy is absent"),
    # Without `always`, nginx does not add the header to a 404.
    ("add_header Cache-Control no-cache always;", "add_header Cache-Control no-cache;", "js: Cache-Control is absent"),
    ("application/manifest+json webmanifest;", "text/plain webmanifest;", "manifest.webmanifest: Content-Type is text/plain"),
    ("=404;", "/index.html;", "js: status 200 instead of 404"),
    ("location / {", "location = /style.css { return 301 /other.css; } location / {", "style.css: redirects to http")])
def test_what_is_lost_from_the_example_is_found(nginx, page, line, instead, found):
    def lose(text):
        assert text.count(line) == 1
        return text.replace(line, instead)

    done = verify(page, nginx(change=lose))
    assert done.returncode == 1 and found in done.stdout, done
