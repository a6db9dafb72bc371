// Turns what `chancery clients create --json` prints into a line of nginx's configuration.
import { json } from 'node:stream/consumers';

const { client_id, client_secret } = await json(process.stdin);
const basic = Buffer.from([client_id, client_secret].map(encodeURIComponent).join(':')).toString('base64');
process.stdout.write(`proxy_set_header Authorization "Basic ${basic}";\n`);
