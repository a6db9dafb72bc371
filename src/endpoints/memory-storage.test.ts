import { storageContract } from '../storage/storage.contract.ts';
import { emptyMemory, memoryStorage } from './memory-storage.ts';

storageContract('memory, for the endpoint tests', async () => {
  const memory = emptyMemory();
  return { open: async () => memoryStorage(memory), remove: async () => undefined };
});
