module heat
  implicit none
  integer, parameter :: wide = 64
  real :: alpha = 0.1

  type :: rod
    real, allocatable :: cells(:)
    integer :: length
    character(len=20) :: label
  end type rod

contains

  ! Lets the warmth flow once.
  subroutine flow(this, steps)
    type(rod), intent(inout) :: this
    integer, intent(in) :: steps
    integer :: i, step
    real :: fresh(wide)

    do step = 1, steps
      do i = 2, this%length - 1
        fresh(i) = this%cells(i) + alpha * (this%cells(i - 1) - 2.0 * this%cells(i) + this%cells(i + 1))
      end do
      do i = 2, this%length - 1
        this%cells(i) = fresh(i)
      end do
    end do
  end subroutine flow

  ! The warmth of all cells.
  real function warmth(this)
    type(rod), intent(in) :: this
    integer :: i
    warmth = 0.0
    do i = 1, this%length
      if (this%cells(i) > 0.0 .and. i /= 3) then
        warmth = warmth + this%cells(i)
      else if (i == 7) then
        cycle
      else
        warmth = warmth - 1.5e-3
      end if
    end do
  end function warmth

end module heat

program main
  use heat
  implicit none
  type(rod) :: one
  one%length = 10
  allocate(one%cells(one%length))
  one%cells = 1.0
  one%label = 'größe'
  call flow(one, 5)
  print *, "warmth", warmth(one)
end program main
