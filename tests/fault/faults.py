"""The faults of a storm. Each is a function of the storm; the table at the end lists all."""

import signal
import time

from confluent_kafka.admin import NewPartitions

from support.places import ROLE

SESSION_S = 6  # scene.SETTINGS
GROWING = ("ticks", "events", "outcomes", "work.scratch.wide", "work.members.remove_expired")
# longer than lock_timeout, than statement_timeout, than the wait for an answer
STOPPED_S = (4, 20, 35)
DAY_S = 86400
WRONG_S = (-3000, 3000)  # Kafka by default refuses messages from more than an hour ahead


# --- processes

def kill(storm):
    number = storm.pick()
    if number is not None:
        storm.processes[number].kill()
        storm.start(number)


def restart(storm):
    number = storm.pick()
    if number is not None:
        storm.end(number)
        storm.start(number)


def zombie(storm):
    """Stops a process for longer than its session lasts."""
    number = storm.pick()
    if number is not None:
        process = storm.processes[number]
        process.freeze()
        storm.for_a_while(number, "wakes up", process.thaw, SESSION_S + 3)


def nobody_reads_the_log(storm):
    number = storm.pick()
    if number is not None:
        reader = storm.readers[number]
        reader.stall()
        storm.for_a_while(number, "its log is read again", reader.go_on, SESSION_S + 3)


def it_is_asked_to_end_and_nobody_reads_the_log(storm):
    number = storm.pick()
    if number is not None:
        storm.readers[number].stall()
        time.sleep(storm.dice.uniform(0, 3))
        storm.end(number)
        storm.start(number)


def reload(storm):
    """Reloads a changed configuration, in processes that are still starting, too. Not before main
    blocks the signal: until then it ends a process, as it does any program."""
    storm.scene.configuration.write_text(f"[log]\nlevel = {storm.dice.choice(('info', 'debug'))}\n")
    for process in storm.processes.values():
        if process.blocks(signal.SIGHUP):
            process.send(signal.SIGHUP)


# --- PostgreSQL

def postgres_crashes(storm):
    storm.scene.database.close()
    storm.postgres.kill()
    time.sleep(storm.dice.uniform(0, 3))
    storm.postgres.start()


def postgres_stands_still(storm):
    """Stops all processes of the server: connections are accepted, nobody answers."""
    storm.postgres.freeze_all()
    time.sleep(storm.dice.choice(STOPPED_S))
    storm.postgres.thaw_all()


def connections_end(storm):
    pids = storm.scene.database.column("SELECT pid FROM pg_stat_activity WHERE usename = %s ORDER BY 1", [ROLE])
    for pid in storm.dice.sample(pids, (len(pids) + 1) // 2):
        storm.scene.database.execute("SELECT pg_terminate_backend(%s)", [pid])


# --- Kafka

def broker_crashes(storm):
    storm.kafka.kill()
    time.sleep(storm.dice.uniform(0, 3))
    storm.kafka.start()


def broker_stands_still(storm):
    """Stops the broker for less or more than a session."""
    storm.kafka.freeze()
    time.sleep(storm.dice.choice((3, SESSION_S + 6)))
    storm.kafka.thaw()


def partitions_are_added(storm):
    topics, name = storm.scene.topics, storm.dice.choice(GROWING)
    wanted = topics.partitions()[name] + 1
    topics.admin.create_partitions([NewPartitions(topics.full(name), wanted)])[topics.full(name)].result(30)


def all_is_delivered_again(storm):
    """Sets the group's offsets to the beginning, for which the group must be empty."""
    storm.let_pass(at_once=True)
    for number in storm.processes:
        storm.end(number)
    storm.scene.topics.rewind()
    for number in storm.processes:
        storm.start(number)


# --- networks

def postgres_is_cut_off(storm):
    cut_off(storm, "PostgreSQL", "to_postgres")


def kafka_is_cut_off(storm):
    cut_off(storm, "Kafka", "to_kafka")


def cut_off(storm, name, network):
    number = storm.pick()
    if number is not None:
        proxy = getattr(storm.places[number], network)
        proxy.cut()
        storm.for_a_while(number, f"the way to {name} is mended", proxy.mend, storm.dice.choice((2, SESSION_S + 3)))


# --- clocks

def the_databases_clock_jumps_a_little(storm):
    jump(storm, storm.dice.choice((90, 2 * 3600)))


def the_databases_clock_jumps_a_year(storm):
    jump(storm, 400 * DAY_S)


def jump(storm, ahead_s):
    """Sets the clock ahead and back while transactions are open."""
    clock = storm.postgres.clock
    if clock is not None:
        storm.say(f"the database's clock is {ahead_s} s ahead")
        clock.set(ahead_s)
        time.sleep(storm.dice.uniform(1, 8))
        clock.set(0)


def a_processs_clock_jumps(storm):
    number = storm.pick()
    place = storm.places[number] if number is not None else None
    if place is not None and place.clock is not None:
        place.clock.set(storm.dice.choice(WRONG_S))
        storm.for_a_while(number, "its clock is as it was", lambda: place.clock.set(place.clock_s), SESSION_S + 3)


FAULTS = (kill, restart, zombie, nobody_reads_the_log, it_is_asked_to_end_and_nobody_reads_the_log, reload,
          postgres_crashes, postgres_stands_still, connections_end,
          broker_crashes, broker_stands_still, partitions_are_added, all_is_delivered_again,
          postgres_is_cut_off, kafka_is_cut_off,
          the_databases_clock_jumps_a_little, the_databases_clock_jumps_a_year, a_processs_clock_jumps)
