// A scalar function for StreamSQL that makes of a title what can stand in a URL:
//
//     rustc --target=wasm32-unknown-unknown --crate-type=cdylib -C opt-level=3 -C panic=abort \
//           -C strip=symbols -C link-arg=-zstack-size=16384 -o slug.wasm slug.rs
//
//     CREATE FUNCTION slug(title VARCHAR(200)) RETURNS VARCHAR(200) LANGUAGE WASM AS SONAME 'slug.wasm';

#[repr(C)]
pub struct Chunk {
    rows: u32,
    columns: u32,
    column: *const Column,
    result: *mut Column,
    failed: *mut u8,
    states: u32,
    others: u32,
}

#[repr(C)]
pub struct Column {
    values: *const u8,
    valid: *mut u8,
    offsets: *mut u32,
    bytes: u32,
}

#[no_mangle]
pub extern "C" fn abi_version() -> u32 {
    1
}

static mut BUFFER: Vec<u64> = Vec::new();
static mut TEXT: Vec<u8> = Vec::new();

#[no_mangle]
pub unsafe extern "C" fn reserve(bytes: u32) -> *mut u64 {
    let buffer = &mut *std::ptr::addr_of_mut!(BUFFER);
    buffer.clear();
    buffer.resize(bytes as usize / 8 + 1, 0);
    buffer.as_mut_ptr()
}

#[no_mangle]
pub unsafe extern "C" fn call(chunk: &mut Chunk) {
    let title = &*chunk.column;
    let result = &mut *chunk.result;
    let text = &mut *std::ptr::addr_of_mut!(TEXT);
    text.clear();
    *result.offsets = 0;
    for i in 0..chunk.rows as usize {
        if !title.valid.is_null() && *title.valid.add(i / 8) >> (i % 8) & 1 == 0 {
            *result.valid.add(i / 8) &= !(1 << (i % 8));
        } else {
            let begin = text.len();
            for at in *title.offsets.add(i)..*title.offsets.add(i + 1) {
                let c = *title.values.add(at as usize);
                if c.is_ascii_alphanumeric() {
                    text.push(c.to_ascii_lowercase());
                } else if text.len() > begin && text[text.len() - 1] != b'-' {
                    text.push(b'-');
                }
            }
            if text.len() > begin && text[text.len() - 1] == b'-' {
                text.pop();
            }
        }
        *result.offsets.add(i + 1) = text.len() as u32;
    }
    result.values = text.as_ptr();
    result.bytes = text.len() as u32;
}
