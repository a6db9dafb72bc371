/**
 * Returns the environment of started programs: no variable that changes their behaviour. They share the compile cache, which
 * halves their start-up time.
 */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
