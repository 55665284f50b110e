"""The real nginx, in front of a page, below a prefix."""

import socket

from . import found
from .ports import HeldPort
from .process import Server

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix} {{
            proxy_set_header X-Forwarded-User $http_x_login;
            proxy_set_header Host $http_host;
            proxy_pass http://{there}/;
        }}
    }}
}}
"""


class Nginx(Server):
    """Who asks is said by the header X-Login of the client, in place of a password."""
    name = "nginx"

    def __init__(self, folder, there, prefix="/pruned/"):
        super().__init__(folder)
        self.held = HeldPort()
        self.port, self.base = self.held.number, f"http://127.0.0.1:{self.held.number}{prefix}"
        folder.mkdir(parents=True)
        (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=self.port, there=there, prefix=prefix))

    def argv(self):
        return [found.nginx(), "-p", self.folder, "-c", self.folder / "nginx.conf", "-e", "stderr"]

    def ready(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0
