for (const button of document.querySelectorAll('button.copy')) {
  const told = () => {
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  };
  button.hidden = false;
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.previousElementSibling.textContent).then(told);
  });
}
