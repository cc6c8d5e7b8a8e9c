//! The processor's name and the vector instructions it offers.

/// Model name as the system gives it, else the architecture.
pub fn cpu_model() -> String {
    let name = if cfg!(target_os = "linux") {
        std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        })
    } else if cfg!(target_os = "macos") {
        let sysctl = std::process::Command::new("/usr/sbin/sysctl")
            .args(["-n", "machdep.cpu.brand_string"])
            .output();
        sysctl.ok().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string())
    } else {
        std::env::var("PROCESSOR_IDENTIFIER").ok()
    };
    let known = name.filter(|name| !name.is_empty());
    known.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// Instruction sets that matter to networks, of those this processor has.
pub fn cpu_features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! detect {
            ($($name:tt)*) => {
                $(if std::is_x86_feature_detected!($name) { found.push($name); })*
            };
        }
        detect!("sse4.2" "popcnt" "bmi2" "avx" "fma" "avx2" "avxvnni" "avx512f" "avx512vnni" "avx512bf16");
    }
    #[cfg(target_arch = "aarch64")]
    {
        macro_rules! detect {
            ($($name:tt)*) => {
                $(if std::arch::is_aarch64_feature_detected!($name) { found.push($name); })*
            };
        }
        detect!("neon" "fp16" "dotprod" "i8mm" "bf16" "sve");
    }
    found
}
