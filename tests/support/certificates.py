"""Certificates of private authorities."""

import subprocess


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def make_authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.pem")
    return folder / f"{name}.pem"


def make_certificate(folder, authority, *names, who="server"):
    """(certificate, key, trusted authority) of WHO with these names, or addresses of this
    machine."""
    (folder / "names").write_text("subjectAltName = " + ", ".join(
        f"IP:{name}" if name[0].isdigit() else f"DNS:{name}" for name in names))
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={names[0]}", "-keyout", f"{who}.key", "-out", f"{who}.csr")
    openssl(folder, "x509", "-req", "-in", f"{who}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
            "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", f"{who}.pem")
    return folder / f"{who}.pem", folder / f"{who}.key", folder / f"{authority}.pem"
