import {
  findDevice,
  listDevices,
  type OperateDeviceNeeds,
  type OperatedDevice,
  refuseOperated,
} from '../../../grants/device/operate.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { type AdminCall, type AdminNeeds, acting, type Item, listing, reading } from '../operation.ts';
import { Names, type PeopleNeeds } from '../people.ts';
import { deviceList, deviceRead, deviceRefuse } from './contract.ts';

export interface AdminDeviceNeeds extends Pick<AdminNeeds, 'clock'>, PeopleNeeds {
  readonly storage: PeopleNeeds['storage'] & AdminNeeds['storage'] & OperateDeviceNeeds['storage'];
}

export const adminDeviceAuthorizations = [
  listing<AdminDeviceNeeds>(deviceList, async (needs, { page, query }) => {
    const [after = ''] = page.after ?? [];
    const filter = { client_id: query['client_id'] as ClientId | undefined };
    const { devices, next } = await listDevices(needs, filter, String(after), page.limit);
    const names = new Names(needs);
    return {
      items: await Promise.all(devices.map(async (device) => await rendered(names, device))),
      next: next === undefined ? undefined : [next],
    };
  }),
  reading<AdminDeviceNeeds>(deviceRead, async (needs, call) => ({
    item: await rendered(new Names(needs), await deviceAt(needs, call)),
  })),
  acting<AdminDeviceNeeds>(deviceRefuse, async (needs, call) => {
    const device = await deviceAt(needs, call);
    if (device.state !== 'open') throw answered(device.state);
    const before = await rendered(new Names(needs), device);
    return {
      before,
      after: { ...before, state: 'denied' },
      commit: async () => {
        const event = call.event({ client_id: device.client_id });
        if (!(await refuseOperated(needs, device.id, event))) throw answered('answered meanwhile');
        return {};
      },
    };
  }),
];

async function deviceAt(needs: AdminDeviceNeeds, { segments }: AdminCall): Promise<OperatedDevice> {
  const device = await findDevice(needs, segments['id'] ?? '');
  if (device === undefined) throw notFound('request');
  return device;
}

const rendered = async (names: Names, device: OperatedDevice): Promise<Item> => ({
  ...device,
  client_name: await names.clientName(device.client_id),
});

const answered = (state: string): Problem =>
  new Problem('conflict', `the device no longer waits: it is ${state}`);
