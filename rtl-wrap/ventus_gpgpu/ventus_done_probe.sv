// Observes at the dispatcher which workgroup has ended. When the caches are flushed, the port of the host
// shows another one.
module ventus_done_probe
  import ventus_params::*;
(
  input logic                  clk_i,
  input logic                  done_i,
  input logic [WG_ID_BITS-1:0] workgroup_i
);

  import "DPI-C" function void karat_ventus_done(input int unsigned id);

  always_ff @(posedge clk_i) if (done_i) karat_ventus_done(32'(workgroup_i));

endmodule

bind GPGPU_top ventus_done_probe u_karat_done (
  .clk_i      (clk),
  .done_i     (rst_n && wg_done && host_rsp_ready_i),
  .workgroup_i(host_rsp_inflight_wg_buffer_host_wf_done_wg_id_o)
);
