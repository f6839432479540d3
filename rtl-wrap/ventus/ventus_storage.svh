// The storage of the Verilog core, as ventus_probe.sv reads it; included there.
  for (genvar w = 0; w < NUM_WARP; w++) begin : gw
    assign csrs[w] = '{
        mstatus: csrfile.B1[w].U_vcsr_i.mstatus,
        mie: csrfile.B1[w].U_vcsr_i.mie,
        mtvec: csrfile.B1[w].U_vcsr_i.mtvec,
        mscratch: csrfile.B1[w].U_vcsr_i.mscratch,
        mepc: csrfile.B1[w].U_vcsr_i.mepc,
        mcause: csrfile.B1[w].U_vcsr_i.mcause,
        mtval: csrfile.B1[w].U_vcsr_i.mtval,
        mip: csrfile.B1[w].U_vcsr_i.mip,
        fflags: 32'(csrfile.B1[w].U_vcsr_i.fflags),
        frm: 32'(csrfile.B1[w].U_vcsr_i.frm),
        fcsr: csrfile.B1[w].U_vcsr_i.fcsr,
        print: csrfile.B1[w].U_vcsr_i.csr_print,
        rpc: csrfile.B1[w].U_vcsr_i.rpc
    };
    assign launch_csr[w] = {
        32'(csrfile.B1[w].U_vcsr_i.wg_id_z),
        32'(csrfile.B1[w].U_vcsr_i.wg_id_y),
        32'(csrfile.B1[w].U_vcsr_i.wg_id_x),
        csrfile.B1[w].U_vcsr_i.pds_baseaddr,
        csrfile.B1[w].U_vcsr_i.lds_base_dispatch,
        32'(csrfile.B1[w].U_vcsr_i.wf_tag_dispatch),
        csrfile.B1[w].U_vcsr_i.wg_id,
        csrfile.B1[w].U_vcsr_i.knl_base,
        32'(csrfile.B1[w].U_vcsr_i.wf_size_dispatch),
        32'(csrfile.B1[w].U_vcsr_i.wg_wf_count),
        csrfile.B1[w].U_vcsr_i.threadid
    };
    assign sgpr_base[w] = 32'(csrfile.B1[w].U_vcsr_i.sgpr_base_dispatch);
    assign vgpr_base[w] = 32'(csrfile.B1[w].U_vcsr_i.vgpr_base_dispatch);
    assign depth[w] = 32'(simt_stack.B1[w].bjstack.wr_ptr);
    assign top[w] = {
        simt_stack.B1[w].bjstack.stack_mem_rpc[32*(depth[w]-1)+:32],
        simt_stack.B1[w].bjstack.stack_mem_jpc[32*(depth[w]-1)+:32],
        32'(simt_stack.B1[w].bjstack.stack_mem_nmk[NUM_THREAD*(depth[w]-1)+:NUM_THREAD])
    };
    assign thread_masks[w] = simt_stack.thread_masks[NUM_THREAD*w+:NUM_THREAD];
  end

  assign waiting = warp_sche.warp_bar_data;

  for (genvar b = 0; b < NUM_BANK; b++) begin : gb
    assign bank_x[b] =
        operand_collector.regfile_banks[b].U_scalar_regfile_bank.U_dualportSRAM.mem_core[audit_x_row_q];
    assign bank_v[b] =
        operand_collector.regfile_banks[b].U_vector_regfile_bank.U_dualportSRAM.mem_core[audit_v_row_q];
  end
