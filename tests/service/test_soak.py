"""Some seconds of the soak: ``make torture`` runs an hour of it."""

from tests.service.soak import Soak, faults_of


def test_clients_of_several_tenants_while_workers_and_the_server_are_killed(tmp_path) -> None:
    report = Soak(tmp_path, clients=8, seconds=8, kill_every=2.5).run()
    assert faults_of(report) == []
    assert sum(report.statuses.values()) > 20, report
    assert set(report.statuses) <= {200, 201, 202, 404, 409, 429, 503}
    assert sum(report.kills.values()) >= 2
