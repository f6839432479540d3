// The CSRs of profile public that have a value of each lane: ids of its work-item. 0x80d to 0x80f are the
// global id x, y, z; 0x810 the linear global id, without offsets; 0x811 to 0x813 the local id.
//
// The work-items of a workgroup are its threads, x first. So the ids of a lane follow from those of the lane
// before it, and those of a warp from the warp before it, even where that one is left out: nothing is
// divided.
module ingot_lane_ids
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  // Launch
  input  logic                        launch_i,
  input  logic [WarpW-1:0]            launch_warp_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  workgroup_t                  launch_wg_i,  // Some fields are for others
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                        wg_take_i,  // A workgroup begins with its first warp
  input  logic                        warp_done_i,  // This warp is launched or left out: the next follows
  // Read
  input  logic [WarpW-1:0]            warp_i,
  input  logic [11:0]                 addr_i,
  output logic                        is_id_o,  // That CSR is one of these
  output logic [NUM_THREAD-1:0][31:0] value_o
);

  typedef struct packed {
    logic [31:0] z, y, x;
  } id_t;

  // Of a warp.
  typedef struct packed {
    id_t first;  // Local id of lane 0
    logic [31:0] local_x, local_y;  // Sizes of the workgroup and of the grid
    logic [31:0] items_x, items_y;
    id_t origin;  // Global id of the workgroup's first work-item, without offsets
    id_t offset;
  } warp_t;

  // The work-item after that one. A size of 0 counts as 1.
  function automatic id_t after(id_t id, logic [31:0] local_x, logic [31:0] local_y);
    id_t next;
    logic row, plane;
    row = id.x + 32'd1 >= local_x;
    // FAULT(id_plane_by_row, operand): row
    plane = row && id.y + 32'd1 >= local_y;
    next.x = row ? '0 : id.x + 32'd1;
    next.y = plane ? '0 : id.y + 32'(row);
    next.z = id.z + 32'(plane);
    return next;
  endfunction

  function automatic logic [31:0] size(logic [31:0] given);
    return given == '0 ? 32'd1 : given;
  endfunction

  id_t first_q;  // Local id of lane 0 of the warp that is next
  id_t next;
  warp_t warp_q[NUM_WARP];
  always_comb begin
    next = first_q;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      // FAULT(id_of_whole_warp, operand): next = after(next, launch_wg_i.local_x, launch_wg_i.local_y);
      if (32'(l) < launch_wg_i.threads) next = after(next, launch_wg_i.local_x, launch_wg_i.local_y);
    end
  end

  always_ff @(posedge clk_i) begin
    if (wg_take_i) first_q <= '0;
    // FAULT(id_left_out_warp, misrouted): launch_i
    else if (warp_done_i) first_q <= next;
    if (launch_i) begin
      warp_q[launch_warp_i] <= '{
        first: first_q,
        local_x: launch_wg_i.local_x,
        local_y: launch_wg_i.local_y,
        items_x: launch_wg_i.items_x,
        items_y: launch_wg_i.items_y,
        origin: '{x: launch_wg_i.gdx * size(launch_wg_i.local_x),
                  y: launch_wg_i.gdy * size(launch_wg_i.local_y),
                  z: launch_wg_i.gdz * size(launch_wg_i.local_z)},
        offset: '{x: launch_wg_i.offset_x, y: launch_wg_i.offset_y, z: launch_wg_i.offset_z}
      };
    end
  end

  warp_t warp;
  assign warp = warp_q[warp_i];
  assign is_id_o = is_lane_csr(addr_i);
  always_comb begin
    id_t id, global_id;
    id = warp.first;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      global_id = '{x: warp.origin.x + id.x, y: warp.origin.y + id.y, z: warp.origin.z + id.z};
      unique case (addr_i)
        12'h80d: value_o[l] = global_id.x + warp.offset.x;
        // FAULT(id_wrong_dimension, operand): global_id.z + warp.offset.z
        12'h80e: value_o[l] = global_id.y + warp.offset.y;
        12'h80f: value_o[l] = global_id.z + warp.offset.z;
        // FAULT(id_linear_offset, operand): (global_id.z * warp.items_y + global_id.y) * warp.items_x +
        //     global_id.x + warp.offset.x
        12'h810: value_o[l] = (global_id.z * warp.items_y + global_id.y) * warp.items_x + global_id.x;
        12'h811: value_o[l] = id.x;
        12'h812: value_o[l] = id.y;
        12'h813: value_o[l] = id.z;
        default: value_o[l] = '0;
      endcase
      id = after(id, warp.local_x, warp.local_y);
    end
  end

endmodule
