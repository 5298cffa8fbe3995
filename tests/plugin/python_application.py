"""Collectives of mpi4py, of arrays and of objects."""

import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
errors = []


def number(sender, receiver, i):
    return 10000 * sender + 100 * receiver + i


def expect(what, found, expected):
    if not numpy.array_equal(found, expected):
        errors.append(what)
        print(f"rank {rank}: {what}: {list(found)}, not {list(expected)}", file=sys.stderr)


def blocks(numbers):
    """An array of what `numbers` gives for each rank."""
    return numpy.array([n for other in range(size) for n in numbers(other)], dtype="i")


def dense(block=3):
    sent = blocks(lambda other: [number(rank, other, i) for i in range(block)])
    expected = blocks(lambda other: [number(other, rank, i) for i in range(block)])
    return sent, numpy.full(block * size, -1, dtype="i"), expected


def alltoall():
    for block in (1, 3, 4000):
        sent, received, expected = dense(block)
        comm.Alltoall(sent, received)
        expect("Alltoall", received, expected)
    received = sent.copy()
    comm.Alltoall(MPI.IN_PLACE, received)
    expect("Alltoall in place", received, expected)


def alltoallv():
    def count(sender, receiver):
        return (sender + 2 * receiver) % 3

    sent = blocks(lambda other: [number(rank, other, i) for i in range(count(rank, other))])
    expected = blocks(lambda other: [number(other, rank, i) for i in range(count(other, rank))])
    received = numpy.full(expected.size, -1, dtype="i")
    comm.Alltoallv(
        (sent, [count(rank, other) for other in range(size)]),
        (received, [count(other, rank) for other in range(size)]),
    )
    expect("Alltoallv", received, expected)


def mixed_requests():
    sent, received, expected = dense()
    message = numpy.full(5, -1, dtype="d")
    requests = [
        comm.Irecv(message, source=(rank - 1) % size, tag=4),
        MPI.REQUEST_NULL,
        comm.Ialltoall(sent, received),
        comm.Isend(numpy.arange(5, dtype="d") + rank, dest=(rank + 1) % size, tag=4),
    ]
    statuses = [MPI.Status() for _ in requests]
    MPI.Request.Waitall(requests, statuses)
    expect("Ialltoall", received, expected)
    expect("message", message, numpy.arange(5) + (rank - 1) % size)
    expect("status", [statuses[0].source, statuses[0].tag, statuses[0].Get_count(MPI.DOUBLE)], [(rank - 1) % size, 4, 5])
    request = comm.Ialltoall(sent, received)
    while not request.Test():
        pass


def neighbors():
    for sizes in ([size], [1, size], MPI.Compute_dims(size, 2)):
        grid = comm.Create_cart(sizes, periods=[True] * len(sizes))
        shifts = [grid.Shift(direction, 1) for direction in range(len(sizes))]
        around = [neighbor for shift in shifts for neighbor in shift]
        sent = numpy.array([number(rank, k, 0) for k in range(len(around))], dtype="i")
        received = numpy.full(len(around), -1, dtype="i")
        grid.Neighbor_alltoall(sent, received)
        expect("Neighbor_alltoall", received, [number(other, k ^ 1, 0) for k, other in enumerate(around)])
        received[:] = -1
        grid.Ineighbor_alltoall(sent, received).Wait()
        expect("Ineighbor_alltoall", received, [number(other, k ^ 1, 0) for k, other in enumerate(around)])
        mine = numpy.array([number(rank, 9, 9)], dtype="i")
        received[:] = -1
        grid.Ineighbor_allgather(mine, received).Wait()
        expect("Ineighbor_allgather", received, [number(other, 9, 9) for other in around])
        grid.Free()


def objects():
    found = comm.alltoall([(rank, other, "x" * other) for other in range(size)])
    if found != [(other, rank, "x" * rank) for other in range(size)]:
        errors.append("alltoall of objects")
        print(f"rank {rank}: alltoall of objects: {found}", file=sys.stderr)


for part in (alltoall, alltoallv, mixed_requests, neighbors, objects):
    part()
failed = comm.allreduce(len(errors))
if rank == 0 and failed == 0:
    print("no errors", flush=True)
sys.exit(failed != 0)
