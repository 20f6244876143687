// What a module may do wrong, by the value of x: 1 loops, 2 traps, 3 takes memory
// without end, 4 marks its row; of anything else the result is twice that. Compiled
// as the examples are.
#![no_std]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

static mut BUFFER: [u64; 65536] = [0; 65536];

#[no_mangle]
pub extern "C" fn abi_version() -> u32 {
    1
}

#[no_mangle]
pub unsafe extern "C" fn reserve(_: u32) -> *mut u64 {
    core::ptr::addr_of_mut!(BUFFER) as *mut u64
}

#[no_mangle]
pub unsafe extern "C" fn call(chunk: *const *const u32) {
    let rows = *chunk as usize;
    let x = *(*chunk.add(2)) as *const i64;
    let result = *(*chunk.add(3)) as *mut i64;
    let failed = *chunk.add(4) as *mut u8;
    for i in 0..rows {
        match *x.add(i) {
            1 => loop {
                core::ptr::read_volatile(x);
            },
            2 => core::arch::wasm32::unreachable(),
            3 => loop {
                if core::arch::wasm32::memory_grow(0, 16) == usize::MAX {
                    core::arch::wasm32::unreachable()
                }
            },
            4 => *failed.add(i) = 1,
            v => *result.add(i) = 2 * v,
        }
    }
}
