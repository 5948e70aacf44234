/** Mounts that a test makes in the namespace of one process. */

/**
 * A command line that runs a command in a mount namespace of its own, after the script; `$0` is the
 * directory.
 */
export const inNamespace = (script: string, directory: string): string[] => [
  ...["unshare", "-rm", "sh", "-c"],
  `${script} && exec "$@"`,
  directory,
];

/** True if this user may make mount namespaces. */
export const canMount =
  Bun.which("unshare") !== null &&
  Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;
