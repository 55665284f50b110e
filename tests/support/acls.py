"""Kafka's ACLs, set as the commands say that `pruned grants --kafka` prints."""

import shlex

from confluent_kafka.admin import (
    AclBinding, AclBindingFilter, AclOperation, AclPermissionType, AdminClient, ResourcePatternType, ResourceType)

from stack.process import wait_until

OPERATIONS = {"Read": AclOperation.READ, "Write": AclOperation.WRITE, "DescribeConfigs": AclOperation.DESCRIBE_CONFIGS}


class Acls:
    def __init__(self, bootstrap):
        self.admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 2})

    @staticmethod
    def _parts(command):
        words = shlex.split(command)
        assert words[0] == "kafka-acls.sh" and "--add" in words, command
        given = dict(zip(words, words[1:]))
        group = "--group" in given
        pattern = ResourcePatternType.PREFIXED if given.get("--resource-pattern-type") == "prefixed" else ResourcePatternType.LITERAL
        return (ResourceType.GROUP if group else ResourceType.TOPIC, given["--group" if group else "--topic"], pattern,
                given["--allow-principal"], "*", OPERATIONS[given["--operation"]], AclPermissionType.ALLOW)

    def _there(self):
        everything = AclBindingFilter(ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY)
        return {(b.restype, b.name, b.resource_pattern_type, b.principal, b.host, b.operation, b.permission_type)
                for b in self.admin.describe_acls(everything).result(30)}

    def add(self, *commands):
        wanted = {self._parts(command) for command in commands}
        for done in self.admin.create_acls([AclBinding(*parts) for parts in wanted]).values():
            done.result(30)
        wait_until(lambda: wanted <= self._there(), 30, "the rights")

    def revoke(self, command):
        parts = self._parts(command)
        for done in self.admin.delete_acls([AclBindingFilter(*parts)]).values():
            done.result(30)
        wait_until(lambda: parts not in self._there(), 30, "the right to be gone")
