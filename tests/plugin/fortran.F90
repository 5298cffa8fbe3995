! Alltoalls and neighbors from Fortran: one program for mpif.h, the module mpi and the module mpi_f08, as the compiler's
! definitions WITH_MPIF, WITH_MPI and WITH_MPI_F08 say.
#ifdef WITH_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define TAG_OF(status) status%MPI_TAG
#define TAG_IN(statuses, i) statuses(i)%MPI_TAG
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define TAG_OF(status) status(MPI_TAG)
#define TAG_IN(statuses, i) statuses(MPI_TAG, i)
#endif

program fortran
#if defined(WITH_MPI_F08)
  use mpi_f08
#elif defined(WITH_MPI)
  use mpi
#endif
  implicit none
#ifdef WITH_MPIF
  include 'mpif.h'
#endif
  integer, parameter :: block = 3, most = 64, tag = 11
  integer :: rank, ranks, ierror, errors = 0, all_errors, i, j, k, told
  integer, asynchronous :: sent(most), received(most), other_sent(most), other_received(most)
  integer :: counts(most), sent_at(most), received_at(most), received_counts(most), expected(most)
  HANDLE(MPI_Datatype) :: types(most)
  HANDLE(MPI_Comm) :: line, circle
  HANDLE(MPI_Request) :: request, requests(4)
  STATUS(one_status)
  STATUSES(statuses, 4)
  logical :: done

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., circle, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.false.], .false., line, ierror)

  call prepare()
  call MPI_Alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call compare('MPI_Alltoall', received)

  call prepare()
  call MPI_Ialltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call compare('MPI_Ialltoall, MPI_Wait', received)
  if (request /= MPI_REQUEST_NULL) call wrong('the request of MPI_Ialltoall')

  call prepare()
  call MPI_Ialltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
  done = .false.
  do while (.not. done)
    call MPI_Test(request, done, one_status, ierror)
  end do
  call compare('MPI_Ialltoall, MPI_Test', received)

  ! In place: the numbers that rank k and this one have for each other change places.
  call prepare()
  received(1:block * ranks) = sent(1:block * ranks)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, received, block, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call compare('MPI_Alltoall in place', received)

  ! To rank k, mod(rank + 2 k, 3) numbers from its block.
  call prepare_irregular()
  call MPI_Alltoallv(sent, counts, sent_at, MPI_INTEGER, received, received_counts, received_at, MPI_INTEGER, &
                     MPI_COMM_WORLD, ierror)
  call compare('MPI_Alltoallv', received)

  call prepare_irregular()
  call MPI_Ialltoallv(sent, counts, sent_at, MPI_INTEGER, received, received_counts, received_at, MPI_INTEGER, &
                      MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, one_status, ierror)
  call compare('MPI_Ialltoallv', received)

  call prepare_irregular()
  types = MPI_INTEGER
  sent_at = 4 * sent_at
  received_at = 4 * received_at
  call MPI_Alltoallw(sent, counts, sent_at, types, received, received_counts, received_at, types, MPI_COMM_WORLD, ierror)
  call compare('MPI_Alltoallw', received)

  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call prepare_circle()
  call MPI_Neighbor_alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, circle, ierror)
  call compare('MPI_Neighbor_alltoall', received)

  call prepare_circle()
  call MPI_Ineighbor_alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, circle, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call compare('MPI_Ineighbor_alltoall', received)

  call prepare_line()
  call MPI_Ineighbor_allgather(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, line, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call compare('MPI_Ineighbor_allgather', received)

  ! Two collectives and a message to the rank itself, in one array.
  do i = 1, 2
    call prepare()
    other_received = -1
    other_sent = [(rank + 7 * k, k = 1, most)]
    call MPI_Irecv(other_received, block, MPI_INTEGER, rank, tag, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Ialltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, requests(2), ierror)
    requests(3) = MPI_REQUEST_NULL
    call MPI_Isend(other_sent, block, MPI_INTEGER, rank, tag, MPI_COMM_WORLD, requests(4), ierror)
    if (i == 1) then
      call MPI_Waitall(4, requests, statuses, ierror)
      if (TAG_IN(statuses, 1) /= tag) call wrong('the tag by MPI_Waitall')
      if (TAG_IN(statuses, 3) /= MPI_ANY_TAG) call wrong('the tag of a null request by MPI_Waitall')
    else
      ! MPICH's MPI_Waitany does not say MPI_UNDEFINED in Fortran: not asked for a fourth one. Its mpi_f08 counts
      ! requests from 0: not asked which one it was.
      told = 0
      do j = 1, 3
        call MPI_Waitany(4, requests, k, one_status, ierror)
        if (TAG_OF(one_status) == tag) told = told + 1
      end do
      if (told == 0) call wrong('the tag by MPI_Waitany')
    end if
    call compare('MPI_Ialltoall beside a message', received)
    do j = 1, 4
      if (requests(j) /= MPI_REQUEST_NULL) call wrong('a request after all are complete')
    end do
    if (any(other_received(1:block) /= other_sent(1:block))) call wrong('the message')
  end do

  call MPI_Comm_free(line, ierror)
  call MPI_Comm_free(circle, ierror)
  call MPI_Allreduce(errors, all_errors, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0 .and. all_errors == 0) print '(a)', 'no errors'
  call MPI_Finalize(ierror)
  if (all_errors /= 0) stop 1

contains

  ! Number i of the block that `sender` has for `receiver`.
  integer function number(sender, receiver, i)
    integer, intent(in) :: sender, receiver, i
    number = 10000 * sender + 100 * receiver + i
  end function number

  subroutine prepare()
    integer :: other, i
    sent = -2
    received = -1
    expected = -1
    do other = 0, ranks - 1
      do i = 1, block
        sent(other * block + i) = number(rank, other, i)
        expected(other * block + i) = number(other, rank, i)
      end do
    end do
  end subroutine prepare

  subroutine prepare_irregular()
    integer :: other, i
    call prepare()
    expected = -1
    do other = 0, ranks - 1
      counts(other + 1) = mod(rank + 2 * other, 3)
      received_counts(other + 1) = mod(other + 2 * rank, 3)
      sent_at(other + 1) = other * block
      received_at(other + 1) = (ranks - 1 - other) * block
      do i = 1, received_counts(other + 1)
        expected(received_at(other + 1) + i) = number(other, rank, i)
      end do
    end do
  end subroutine prepare_irregular

  ! From the rank before comes what that sent to the one after it.
  subroutine prepare_circle()
    integer :: i
    sent = -2
    received = -1
    expected = -1
    do i = 1, block
      sent(i) = number(rank, 1, i)
      sent(block + i) = number(rank, 2, i)
      expected(i) = number(modulo(rank - 1, ranks), 2, i)
      expected(block + i) = number(modulo(rank + 1, ranks), 1, i)
    end do
  end subroutine prepare_circle

  subroutine prepare_line()
    integer :: i
    sent = -2
    received = -1
    expected = -1
    do i = 1, block
      sent(i) = number(rank, 3, i)
      if (rank > 0) expected(i) = number(rank - 1, 3, i)
      if (rank < ranks - 1) expected(block + i) = number(rank + 1, 3, i)
    end do
  end subroutine prepare_line

  subroutine compare(call_name, found)
    character(*), intent(in) :: call_name
    integer, intent(in) :: found(:)
    if (any(found /= expected)) call wrong(call_name)
  end subroutine compare

  subroutine wrong(what)
    character(*), intent(in) :: what
    errors = errors + 1
    print '(a, i0, 3a)', 'rank ', rank, ': ', what, ' is wrong'
  end subroutine wrong
end program fortran
