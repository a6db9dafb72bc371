import { postgresEngine } from '../../testing/postgres/database.ts';
import { storageContract } from '../../testing/storage/storage-suite.ts';

storageContract('PostgreSQL', postgresEngine);
