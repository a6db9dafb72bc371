import type { VNode } from 'preact';

export function TenantSwitch(): VNode | null {
  return null;
}
