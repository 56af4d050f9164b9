"""A directory in this guest: slapd with a few users, and sssd. The image has their packages, and neither starts by itself."""

import pathlib
import subprocess

from machine import Failed, run, wait_until

HOME = pathlib.Path("/run/ldap-here")
URI = "ldap://127.0.0.1:3890"
SCHEMAS = ("core", "cosine", "nis", "inetorgperson")
CONFIGURATION = "".join("include /etc/ldap/schema/%s.schema\n" % name for name in SCHEMAS) + """
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
maxsize 1048576
suffix dc=example
rootdn cn=admin,dc=example
rootpw admin
directory %s
access to * by * read
""" % (HOME / "database")
SSSD = pathlib.Path("/etc/sssd/sssd.conf")
# This slapd has no certificate, and sssd of Debian 13 wants TLS if its file does not say otherwise.
DOMAIN = """[sssd]
services = nss, pam
domains = example

[domain/example]
id_provider = ldap
ldap_uri = %s
ldap_search_base = dc=example
ldap_id_use_start_tls = false
access_provider = ldap
ldap_access_order = expire
ldap_account_expire_policy = shadow
""" % URI


def start(*people):
    (HOME / "database").mkdir(parents=True, exist_ok=True)
    (HOME / "slapd.conf").write_text(CONFIGURATION)
    entries = ["dn: dc=example\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n"]
    for number, name in enumerate(people):
        entries.append("dn: uid=%s,dc=example\nobjectClass: account\nobjectClass: posixAccount\nobjectClass: shadowAccount\nuid: %s\n"
                       "cn: %s\nuidNumber: %d\ngidNumber: 20000\nhomeDirectory: /\n" % (name, name, name, 20000 + number))
    feed("\n".join(entries))
    serve()


def feed(text):
    done = subprocess.run(["slapadd", "-f", HOME / "slapd.conf"], input=text, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Failed("slapadd: " + done.stderr)


def serve():
    run("systemd-run", "--quiet", "--collect", "--unit=ldap-here", "/usr/sbin/slapd", "-d", "0", "-f", str(HOME / "slapd.conf"), "-h", URI)
    wait_until(lambda: run("ldapsearch", "-x", "-H", URI, "-b", "dc=example", "-s", "base", check=False).returncode == 0, 30,
               of="slapd answers")


def stop():
    run("systemctl", "stop", "ldap-here")


def change(command, text):
    done = subprocess.run([command, "-x", "-H", URI, "-D", "cn=admin,dc=example", "-w", "admin"], input=text, capture_output=True,
                          text=True, timeout=60)
    if done.returncode != 0:
        raise Failed("%s: %s" % (command, done.stderr))


def delete(name):
    change("ldapdelete", "uid=%s,dc=example\n" % name)


def expire(name):
    change("ldapmodify", "dn: uid=%s,dc=example\nchangetype: modify\nadd: shadowExpire\nshadowExpire: 1\n" % name)


def start_sssd(*lines):
    SSSD.write_text(DOMAIN + "".join(line + "\n" for line in lines))
    SSSD.chmod(0o600)
    switch = pathlib.Path("/etc/nsswitch.conf")
    text = switch.read_text()
    if " sss" not in text:
        switch.write_text("".join(
            line.rstrip("\n") + (" sss" if line.startswith(("passwd:", "group:")) else "") + "\n" for line in text.splitlines()))
    run("systemctl", "restart", "sssd", seconds=60)
