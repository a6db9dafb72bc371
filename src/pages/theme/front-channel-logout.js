const next = document.querySelector('a[data-wait]');
let gone = false;

function go() {
  if (gone) return;
  gone = true;
  location.replace(next.href);
}

// The load event comes when every frame has loaded or failed.
addEventListener('load', go);
setTimeout(go, Number(next.dataset.wait) * 1000);
