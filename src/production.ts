/**
 * Imported first. Elysia reads NODE_ENV when it loads, and shows more of an error's insides outside production. And the
 * password hash is native code, which the executable unpacks into the temporary directory when it loads: where it can't,
 * an operator gets a line instead of a stack.
 */
process.env.NODE_ENV = "production";

try {
  await import("@node-rs/argon2");
} catch {
  // What is thrown tells of the last of many places that were looked at.
  process.stderr.write(
    "fairlead: the password hash can't be loaded: the temporary directory must be writable and permit execution (else set BUN_TMPDIR to one that does), and glibc and libgcc must be installed\n",
  );
  process.exit(1);
}

export {};
