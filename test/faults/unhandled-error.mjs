// Preloaded into a server: throws an error that no code handles, when SIGUSR2 arrives.
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw new Error('planted by the test');
  });
});
