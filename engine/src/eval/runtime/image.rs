//! A look at a library file's header before the system loader maps it.
//!
//! The loader itself refuses foreign formats, but a file cut short passes it and
//! kills the process with a bus error on first use. So the header's own account
//! of the file's size is checked here.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What is wrong with the file, in words; `None` where it may be loaded.
pub(super) fn fault(path: &Path) -> Option<String> {
    let mut header = [0u8; 64];
    let read = File::open(path).and_then(|mut file| {
        let len = file.metadata()?.len();
        let got = file.read(&mut header)?;
        Ok((file, len, got))
    });
    let (file, len, got) = match read {
        Ok(read) => read,
        Err(e) => return Some(format!("cannot be read ({e})")),
    };
    if got < header.len() {
        return Some(format!("is no shared library (only {len} bytes)"));
    }
    if cfg!(target_os = "linux") {
        elf_fault(file, &header, len)
    } else if cfg!(target_os = "macos") {
        let magic = [header[0], header[1], header[2], header[3]];
        let known = matches!(magic, [0xcf, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe]);
        (!known).then(|| "is no macOS library".to_string())
    } else if cfg!(windows) {
        (!header.starts_with(b"MZ")).then(|| "is no Windows library".to_string())
    } else {
        None
    }
}

fn elf_fault(mut file: File, header: &[u8; 64], len: u64) -> Option<String> {
    if !header.starts_with(b"\x7fELF") {
        return Some("is no Linux library".to_string());
    }
    let two = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let machine = if cfg!(target_arch = "x86_64") {
        62
    } else if cfg!(target_arch = "aarch64") {
        183
    } else {
        two(18)
    };
    if header[4] != 2 || header[5] != 1 || two(18) != machine {
        let arch = std::env::consts::ARCH;
        return Some(format!("is for another processor than {arch} (ELF machine {})", two(18)));
    }
    // The program headers say which bytes of the file are mapped.
    let (offset, size, count) = (eight(header, 32), u64::from(two(54)), u64::from(two(56)));
    let mut entry = [0u8; 56];
    for i in 0..count {
        let at = offset.saturating_add(i * size);
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut entry));
        let end = eight(&entry, 8).saturating_add(eight(&entry, 32));
        if read.is_err() || end > len {
            return Some(format!("is cut short ({len} bytes): copy or fetch it again"));
        }
    }
    None
}

fn eight(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0u8; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
