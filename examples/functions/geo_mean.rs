// The geometric mean as an aggregate function for StreamSQL:
//
//     rustc --target=wasm32-unknown-unknown --crate-type=cdylib -C opt-level=3 -C panic=abort \
//           -C strip=symbols -C link-arg=-zstack-size=16384 -o geo_mean.wasm geo_mean.rs
//
//     CREATE AGGREGATE FUNCTION geo_mean(x DOUBLE) RETURNS DOUBLE LANGUAGE WASM AS SONAME 'geo_mean.wasm';
//
// Values that are NULL or not positive do not count, as LN gives NULL for them.
// The sum of the logarithms is a whole number of 2^-48, so that it does not depend
// on the order of rows, and taking a row back leaves nothing behind.

const SCALE: f64 = (1u64 << 48) as f64;

#[repr(C)]
pub struct Chunk {
    rows: u32,
    columns: u32,
    column: *const Column,
    result: *mut Column,
    failed: *mut u8,
    states: *const *mut State,
    others: *const *const State,
}

#[repr(C)]
pub struct Column {
    values: *mut f64,
    valid: *mut u8,
    offsets: *mut u32,
    bytes: u32,
}

#[repr(C)]
pub struct State {
    count: i64,
    low: u64, // of the sum, 128 bits
    high: i64,
}

impl State {
    fn add(&mut self, count: i64, sum: i128) {
        let total = ((self.high as i128) << 64 | self.low as i128).wrapping_add(sum);
        self.count += count;
        self.low = total as u64;
        self.high = (total >> 64) as i64;
    }
    fn sum(&self) -> i128 {
        (self.high as i128) << 64 | self.low as i128
    }
}

impl Column {
    unsafe fn is_null(&self, i: usize) -> bool {
        !self.valid.is_null() && *self.valid.add(i / 8) >> (i % 8) & 1 == 0
    }
}

unsafe fn take(chunk: &Chunk, sign: i64) {
    let x = &*chunk.column;
    for i in 0..chunk.rows as usize {
        let v = *x.values.add(i);
        if !x.is_null(i) && v > 0.0 {
            let log = (v.ln() * SCALE).round() as i64;
            (**chunk.states.add(i)).add(sign, (sign * log) as i128);
        }
    }
}

#[no_mangle]
pub extern "C" fn abi_version() -> u32 {
    1
}

static mut BUFFER: Vec<u64> = Vec::new();

#[no_mangle]
pub unsafe extern "C" fn reserve(bytes: u32) -> *mut u64 {
    let buffer = &mut *std::ptr::addr_of_mut!(BUFFER);
    buffer.clear();
    buffer.resize(bytes as usize / 8 + 1, 0);
    buffer.as_mut_ptr()
}

#[no_mangle]
pub extern "C" fn state_size() -> u32 {
    std::mem::size_of::<State>() as u32
}

#[no_mangle]
pub unsafe extern "C" fn init(state: *mut State) {
    *state = State { count: 0, low: 0, high: 0 };
}

#[no_mangle]
pub unsafe extern "C" fn accumulate(chunk: &Chunk) {
    take(chunk, 1);
}

#[no_mangle]
pub unsafe extern "C" fn retract(chunk: &Chunk) {
    take(chunk, -1);
}

#[no_mangle]
pub unsafe extern "C" fn merge(chunk: &Chunk) {
    for i in 0..chunk.rows as usize {
        let other = &**chunk.others.add(i);
        (**chunk.states.add(i)).add(other.count, other.sum());
    }
}

#[no_mangle]
pub unsafe extern "C" fn finish(chunk: &Chunk) {
    let result = &*chunk.result;
    for i in 0..chunk.rows as usize {
        let state = &**chunk.states.add(i);
        if state.count > 0 {
            *result.values.add(i) = (state.sum() as f64 / SCALE / state.count as f64).exp();
        } else {
            *result.valid.add(i / 8) &= !(1 << (i % 8));
        }
    }
}
