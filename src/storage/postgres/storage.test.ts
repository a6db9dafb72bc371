import { storageContract } from '../storage.contract.ts';
import { postgresEngine } from './test-database.ts';

storageContract('PostgreSQL', postgresEngine);
