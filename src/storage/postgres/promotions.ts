/**
 * Which primary was promoted last, as far as one process has seen: each promotion begins a timeline of a higher number
 * (PostgreSQL documentation, "Timelines"). A primary that was stopped while another was promoted believes to be the primary
 * when it wakes, until somebody tells it, and answers questions from before.
 */
export class Promotions {
  #newest = 0;

  see(timeline: number): void {
    this.#newest = Math.max(this.#newest, timeline);
  }

  /** Whether another primary was promoted since. */
  arePast(timeline: number): boolean {
    return timeline < this.#newest;
  }
}
