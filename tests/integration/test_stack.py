"""The tests' own servers and databases."""


class Server:
    """A server that was given the port of one that has ended."""

    def url(self):
        return "postgresql://postgres@127.0.0.1:1/postgres"


def test_a_server_at_the_address_of_an_ended_one_has_its_own_templates(templates):
    first, second = Server(), Server()
    assert templates(first) is templates(first)
    assert templates(first) is not templates(second)
