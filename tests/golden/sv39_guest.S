# For test_sv39_qemu.py: runs bare under qemu-system-riscv64 (machine virt, -bios) and makes the accesses of a list, as a core in
# S-mode does. The host places the list and the tables in memory.
#
#  list: number, then for each access satp, virtual address, use (0 fetch, 1 load, 2 store)
#  answer for each, to the UART: cause (1 byte; 255: none), 1 where mtval is the address, the address / 8 that the access found (4 bytes)
#
# All of FILL holds at each double word an ecall instruction and, above it, the address / 8.
    .equ LIST, 0x81000000
    .equ FILL, 0x84000000
    .equ FILL_END, 0x88000000
    .equ UART, 0x10000000
    .equ FINISHER, 0x100000
    .equ ECALL, 0x73
    .equ MPP_S, 1 << 11
    .equ MPP_M, 3 << 11
    .equ MPRV, 1 << 17
    .equ SUM, 1 << 18
    .equ MXR, 1 << 19
    .equ FROM_S, 9          # mcause of an ecall there

# The next access is one of S-mode, until LEAVE.
    .macro ENTER more=0
    li t1, MPP_M
    csrc mstatus, t1
    li t1, MPP_S | MPRV | SUM | \more
    csrs mstatus, t1
    .endm
    .macro LEAVE
    li t1, MPRV | MXR
    csrc mstatus, t1
    .endm

    .globl _start
_start:
    la t0, trap
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f             # all of memory, for S-mode
    csrw pmpcfg0, t0
    li t0, FILL
    li t1, FILL_END
    li t3, ECALL
fill:
    srli t2, t0, 3
    slli t2, t2, 32
    or t2, t2, t3
    sd t2, 0(t0)
    addi t0, t0, 8
    bne t0, t1, fill
    li s0, LIST
    ld s1, 0(s0)
    addi s0, s0, 8
next:
    beqz s1, done
    ld t0, 0(s0)
    ld s2, 8(s0)
    ld s3, 16(s0)
    addi s0, s0, 24
    addi s1, s1, -1
    csrw satp, t0
    sfence.vma
    li s4, 255
    li s5, 0
    li s6, 0
    beqz s3, fetch
    la s7, loaded
    ENTER
    ld s6, 0(s2)
loaded:
    LEAVE
    li t0, 1
    beq s3, t0, answer
    # The loaded word is stored again. Where a load faults, a store does.
    li s4, 255
    li s5, 0
    la s7, stored
    ENTER
    sd s6, 0(s2)
stored:
    LEAVE
    j answer
fetch:
    la s7, fetched
    csrw mepc, s2
    li t1, MPP_M
    csrc mstatus, t1
    li t1, MPP_S
    csrs mstatus, t1
    mret
fetched:
    li t0, FROM_S
    bne s4, t0, answer
    li s4, 255
    li s5, 0
    la s7, looked
    ENTER MXR
    ld s6, 0(s2)
looked:
    LEAVE
answer:
    mv a0, s4
    call put
    xor a0, s5, s2
    seqz a0, a0
    call put
    srli s6, s6, 32
    li s8, 4
bytes:
    andi a0, s6, 255
    call put
    srli s6, s6, 8
    addi s8, s8, -1
    bnez s8, bytes
    j next
done:
    li t0, FINISHER
    li t1, 0x5555
    sw t1, 0(t0)
    j .

put:
    li t0, UART
1:
    lbu t1, 5(t0)
    andi t1, t1, 0x20
    beqz t1, 1b
    sb a0, 0(t0)
    ret

    .balign 4
trap:
    csrr s4, mcause
    csrr s5, mtval
    jr s7
